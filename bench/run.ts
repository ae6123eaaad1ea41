import { writeFileSync } from 'node:fs';
import { type Figure, keeps, tableOf } from './lib/figure.ts';
import { isFull } from './lib/systems.ts';

const goals = ['g1', 'g2', 'g3', 'g4', 'g5', 'g6', 'g7', 'g8', 'g9', 'g10', 'g11', 'g12', 'g13', 'g14'];
const others = ['funnel', 'inbox', 'replay', 'single', 'channels', 'erasure'];
const selected = process.argv.slice(2).map((name) => name.toLowerCase());
const names = isFull ? [...goals, ...others] : goals;
const figures: Figure[] = [];
for (const name of selected.length > 0 ? selected : names) {
  process.stderr.write(`${name} …\n`);
  const startedAt = performance.now();
  const { measure } = (await import(`./${name}.ts`)) as { measure: () => Promise<Figure | readonly Figure[]> };
  figures.push(...[await measure()].flat());
  process.stderr.write(`${name} took ${Math.round((performance.now() - startedAt) / 1000)} s\n`);
}
console.log(`\n${tableOf(figures)}\n`);
const json = JSON.stringify(figures, null, 2);
if (process.env['BENCH_JSON']) writeFileSync(process.env['BENCH_JSON'], `${json}\n`);
else console.log(json);
const missed = figures.flatMap(({ measures }) => measures).filter(({ value, floor }) => !keeps(value, floor));
process.exitCode = missed.length === 0 ? 0 : 1;
