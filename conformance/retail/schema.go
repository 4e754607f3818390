package retail

import (
	"fmt"
	"strings"
)

// Table is one of the tables of the warehouse.
type Table struct {
	Name    string
	Columns string // with types, without the key
	Key     string
	Salt    int // buckets; 0: not salted
}

// What a sale costs, of all channels: the unit's prices, then sums of the line.
const money = "%[1]s_count int, %[1]s_cost decimal(7,2), %[1]s_list decimal(7,2), %[1]s_price decimal(7,2), %[1]s_discount decimal(9,2), %[1]s_total decimal(9,2), %[1]s_coupon decimal(9,2), %[1]s_freight decimal(9,2), %[1]s_paid decimal(9,2), %[1]s_profit decimal(9,2)"

// What goes by post has a biller and a receiver.
const posted = "%[1]s_order int, %[1]s_item int, %[1]s_day int, %[1]s_time int, %[1]s_sent int, %[1]s_buyer int, %[1]s_receiver int, %[1]s_trait int, %[1]s_home int, %[1]s_place int, %[1]s_target int, %[1]s_mode int, %[1]s_depot int, %[1]s_promo int, "

// What comes back, of all channels.
const returned = "%[1]s_order int, %[1]s_item int, %[1]s_day int, %[1]s_buyer int, %[1]s_trait int, %[1]s_home int, %[1]s_place int, %[1]s_at int, %[1]s_reason int, %[1]s_count int, %[1]s_amount decimal(9,2), %[1]s_fee decimal(7,2), %[1]s_loss decimal(9,2)"

// Tables are listed in the order of their making.
var Tables = []Table{
	{"days", "d_key int, d_date date, d_year int, d_month int, d_quarter int, d_dow int, d_name varchar(9), d_week int, d_months int, d_holiday varchar(1)", "d_key", 0},
	{"times", "t_key int, t_hour int, t_minute int, t_meal varchar(10)", "t_key", 0},
	{"items", "i_key int, i_id varchar(16), i_from date, i_to date, i_name varchar(60), i_brand_id int, i_brand varchar(30), i_class varchar(20), i_category varchar(20), i_maker int, i_price decimal(7,2), i_cost decimal(7,2), i_color varchar(12), i_size varchar(12), i_units varchar(10), i_manager int", "i_key", 4},
	{"shops", "s_key int, s_id varchar(16), s_name varchar(20), s_city varchar(20), s_county varchar(20), s_state varchar(2), s_market int, s_staff int, s_offset int", "s_key", 0},
	{"centers", "c_key int, c_name varchar(20), c_manager varchar(20), c_county varchar(20)", "c_key", 0},
	{"sites", "e_key int, e_name varchar(20), e_company varchar(20)", "e_key", 0},
	{"pages", "g_key int, g_kind varchar(10), g_chars int", "g_key", 0},
	{"depots", "w_key int, w_name varchar(20), w_state varchar(2), w_area int", "w_key", 0},
	{"promos", "p_key int, p_name varchar(10), p_mail varchar(1), p_event varchar(1), p_tv varchar(1)", "p_key", 0},
	{"modes", "m_key int, m_kind varchar(12), m_carrier varchar(12)", "m_key", 0},
	{"reasons", "r_key int, r_text varchar(40)", "r_key", 0},
	{"bands", "n_key int, n_low int, n_high int", "n_key", 0},
	{"homes", "h_key int, h_band int, h_potential varchar(10), h_people int, h_cars int", "h_key", 0},
	{"traits", "k_key int, k_gender varchar(1), k_marital varchar(1), k_education varchar(20), k_credit varchar(10), k_kids int, k_estimate int", "k_key", 4},
	{"places", "a_key int, a_city varchar(20), a_county varchar(20), a_state varchar(2), a_zip varchar(5), a_country varchar(20), a_offset int, a_kind varchar(10)", "a_key", 4},
	{"buyers", "b_key int, b_id varchar(16), b_title varchar(5), b_first varchar(20), b_last varchar(20), b_trait int, b_home int, b_place int, b_year int, b_month int, b_day int, b_country varchar(20), b_liked varchar(1), b_since int, b_mail varchar(50)", "b_key", 8},
	{"shop_sales", "ss_order int, ss_item int, ss_day int, ss_time int, ss_buyer int, ss_trait int, ss_home int, ss_place int, ss_shop int, ss_promo int, " + fmt.Sprintf(money, "ss"), "ss_order, ss_item", 8},
	{"shop_returns", fmt.Sprintf(returned, "sr"), "sr_order, sr_item", 8},
	{"mail_sales", fmt.Sprintf(posted, "ms") + "ms_center int, " + fmt.Sprintf(money, "ms"), "ms_order, ms_item", 8},
	{"mail_returns", fmt.Sprintf(returned, "mr"), "mr_order, mr_item", 4},
	{"web_sales", fmt.Sprintf(posted, "ws") + "ws_site int, ws_page int, " + fmt.Sprintf(money, "ws"), "ws_item, ws_order", 4},
	{"web_returns", fmt.Sprintf(returned, "wr"), "wr_item, wr_order", 4},
	{"stock", "v_day int, v_item int, v_depot int, v_count int", "v_day, v_item, v_depot", 4},
}

// Create is the statement that makes the table; salted says whether its salt is in it,
// which PostgreSQL does not know.
func (t Table) Create(salted bool) string {
	s := fmt.Sprintf("CREATE TABLE %s (%s, PRIMARY KEY (%s))", t.Name, t.Columns, t.Key)
	if salted && t.Salt > 0 {
		first, _, _ := strings.Cut(t.Key, ",")
		s += fmt.Sprintf(" SALT_BUCKETS = %d, SALT_COLUMNS = (%s)", t.Salt, first)
	}
	return s
}
