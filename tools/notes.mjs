// Generates a module from the docstrings of API methods: they are the descriptions of /openapi.json.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow, root } from './packages.mjs';

const contract = 'libs/contract/src';

/** The generated file, below libs/contract/src/generated. */
export const notesPath = `${contract}/generated/notes.ts`;

const DOCUMENTED = /\/\*\*((?:(?!\*\/)[^])*)\*\/\nexport const (\w+) =/g;

const textOf = (comment) =>
  comment
    .replace(/^\s*\* ?/gm, '')
    .replace(/\{@link (\w+)\}/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();

const served = () => {
  const lists = filesBelow(contract, '*/*-methods.ts').map((path) => readFileSync(join(root, contract, path), 'utf8'));
  return new Set(lists.flatMap((list) => [...list.matchAll(/^  (\w+),$/gm)].map(([, name]) => name)));
};

/** The module: the folder and the docstring of each served method, by name. */
export function notes() {
  const names = served();
  const entries = filesBelow(contract, '*/*.ts')
    .filter((path) => !path.endsWith('.spec.ts') && !/^(families|fields|generated)\//.test(path))
    .flatMap((path) => {
      const [folder] = path.split('/');
      const source = readFileSync(join(root, contract, path), 'utf8');
      const documented = [...source.matchAll(DOCUMENTED)].filter(([, , name]) => names.has(name));
      return documented.map(([, comment, name]) => [name, { folder, text: textOf(comment) }]);
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    '// Written by tools/notes.mjs from the docstrings of the methods. DO NOT EDIT.',
    'export const notes: Readonly<Record<string, { readonly folder: string; readonly text: string } | undefined>> = {',
    ...entries.map(([name, note]) => `  ${name}: ${JSON.stringify(note)},`),
    '};',
    '',
  ].join('\n');
}
