// Checks of one client: each is run whatever became of the others, and told as a line of
// JSON, with what it saw, so that the runs on two servers can be compared.
const fs = require('fs');

exports.versionOf = (name) => JSON.parse(fs.readFileSync(`${process.env.NODE_PATH || 'node_modules'}/${name}/package.json`)).version;

exports.checks = (client, version) => async (name, run) => {
  const line = { check: name, client, ok: true, saw: {}, version };
  try {
    await run((what, value) => { line.saw[what] = value; });
  } catch (e) {
    line.ok = false;
    line.why = String((e.parent && e.parent.message) || e.message || e).trim();
  }
  console.log(JSON.stringify(line));
};
