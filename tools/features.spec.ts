import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { api, type Method } from '@tidings/contract';

const readme = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8');
const rows = readme
  .slice(readme.indexOf('## What works today'), readme.indexOf('## Configuration'))
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.endsWith(' |'))
  .map((line) => line.slice(2, -2).split(' | '));

const served: ReadonlySet<string> = new Set(
  rows
    .filter(([, status = '']) => status.startsWith('served'))
    .flatMap(([what = '']) => [...what.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)),
);
/** Without the path, as the README calls it. */
const nameOf = ({ name }: Method): string =>
  name
    .split('/')
    .filter((part) => !part.startsWith('{'))
    .at(-1)!;
const methods = Object.values<Method>(api).filter(({ family }) => family !== 'admin');
const names = [...new Set(methods.map(nameOf))];

describe("the README's table of features", () => {
  it('names every method that the contract serves, as served', () => {
    expect(names.filter((name) => !served.has(name))).toEqual([]);
  });
});
