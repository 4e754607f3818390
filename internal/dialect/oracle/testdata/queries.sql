SELECT ts, cpu FROM metrics WHERE host = 'web-1' ORDER BY host, ts DESC LIMIT 10;
select $1::int + 2 * 3, a || b || c, x ~ 'a' and not y is null or z in (1,2) from s.t as q(a,b) where (a,b) > ($1,$2);
select * from a left join b on a.x=b.x full join c using (y), lateral (select 1) z;
select a from t union all select b from u union select c from v order by 1 limit $1 offset 3;
select count(distinct a order by b desc nulls last) filter (where x) over (partition by z order by y rows between 1 preceding and current row) from t group by rollup(a,(b,c)), ();
with recursive r(n) as (values (1) union all select n+1 from r where n < 10) select * from r;
insert into t (a,b) values (1, default), ($1,$2) on conflict (a) do update set b = excluded.b where t.x returning *, a+1 as z;
update t set a = 1, (b,c) = (select 1,2) from u where t.x = u.x returning t.*;
delete from t using u where a = 1;
select extract(year from x), substring(a from 2 for 3), trim(both 'x' from y), position('a' in b), x at time zone 'utc', cast(a as numeric(10,2)), interval '1' day, date '2020-01-01';
select not exists (select 1), array[1,2], array[[1,2],[3,4]], a[1], a[1:2], (x).y, row(1,2), t.* is null, count(*), current_date, null, true, 1e10, 5., x like 'a%' escape 'b';
select 1 where true having count(*) > 1;
select generate_series from generate_series(1,10) with ordinality as g(a,b), rows from (f(1) as (a int), g(2)) x;
((select 1) union (select 2)) limit 3;
select distinct on (a) a, b from t for update of t nowait;
values (1,2),(3,4) order by 1;

select a between b is document is distinct from c and true;
select position(a is distinct from b < c in d);
