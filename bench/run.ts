import { writeFileSync } from 'node:fs';
import { type Figure, keeps, tableOf } from './lib/figure.ts';

/** `npm run bench`, or `npm run bench -- g2 g7` for some. */
const names = [
  'g1',
  'g2',
  'g3',
  'g4',
  'g5',
  'g6',
  'g7',
  'g8',
  'g9',
  'g10',
  'g11',
  'g11b',
  'g12',
  'g13',
  'g14',
  'funnel',
  'inbox',
  'replay',
  'single',
  'channels',
  'erasure',
];
const selected = process.argv.slice(2).map((name) => name.toLowerCase());
const figures: Figure[] = [];
for (const name of selected.length > 0 ? selected : names) {
  process.stderr.write(`${name} …\n`);
  const { measure } = (await import(`./${name}.ts`)) as { measure: () => Promise<Figure> };
  figures.push(await measure());
}
console.log(`\n${tableOf(figures)}\n`);
const json = JSON.stringify(figures, null, 2);
if (process.env['BENCH_JSON']) writeFileSync(process.env['BENCH_JSON'], `${json}\n`);
else console.log(json);
const missed = figures.flatMap(({ measures }) => measures).filter(({ value, floor }) => !keeps(value, floor));
process.exitCode = missed.length === 0 ? 0 : 1;
