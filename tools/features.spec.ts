import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { api, type Method } from '@tidings/contract';

const page = readFileSync(join(import.meta.dirname, '..', 'docs/interface.md'), 'utf8');
const rows = page
  .slice(page.indexOf('## Features'), page.indexOf('## Methods'))
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.endsWith(' |'))
  .map((line) => line.slice(2, -2).split(' | '));

const served: ReadonlySet<string> = new Set(
  rows
    .filter(([, status = '']) => status.startsWith('served'))
    .flatMap(([what = '']) => [...what.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)),
);
/** Without the path, as the page calls it. */
const nameOf = ({ name }: Method): string =>
  name
    .split('/')
    .filter((part) => !part.startsWith('{'))
    .at(-1)!;
const methods = Object.values<Method>(api).filter(({ family }) => family !== 'admin');
const names = [...new Set(methods.map(nameOf))];

describe('the table of features in docs/interface.md', () => {
  it('names every method that the contract serves, as served', () => {
    expect(names.filter((name) => !served.has(name))).toEqual([]);
  });
});
