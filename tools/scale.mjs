// Calculates growing loads from the costs that docs/scale.md tells, and prints them as a table (docs/scale.md, Larger loads).
//   node tools/scale.mjs                       the table of the page; --write replaces it there
//   node tools/scale.mjs 100:8 100:4           a load of 100, with eight processes of each service, and with four
//   node tools/scale.mjs 10:2 --seed=7 --channels=1
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './packages.mjs';
import { costsOf, rowsOfPage, scalePath, tableOf, withTable } from './scale/page.ts';

/** Ends the program outside the limits. */
function numberOf(name, text, least, most) {
  const value = Number(text);
  if (text !== '' && value >= least && value <= most) return value;
  console.error(`${name} is ${text}, and not a number from ${least} to ${most}`);
  process.exit(2);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    channels: { type: 'string', default: '2' },
  },
});
const settings = {
  seed: numberOf('--seed', values.seed, 0, 2 ** 32 - 1),
  channels: Math.round(numberOf('--channels', values.channels, 1, 11)),
};
const scenarios = positionals.map((text) => {
  const [load = '', processes = ''] = text.split(':');
  return {
    load: numberOf('the load', load, 0.1, 1000),
    processes: Math.round(numberOf('the number of processes', processes, 1, 8)),
    ...settings,
  };
});

const path = join(root, scalePath);
const page = readFileSync(path, 'utf8');
const costs = costsOf(page);
if (values.write) writeFileSync(path, withTable(page, tableOf(rowsOfPage, costs)));
else
  process.stdout.write(
    tableOf(scenarios.length > 0 ? scenarios : rowsOfPage.map((row) => ({ ...row, ...settings })), costs),
  );
