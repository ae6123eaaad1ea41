import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { api, type Method } from '@tidings/contract';

/** Finds parsed fields that no code reads by name; it does not prove that the right code reads them. */
const root = join(import.meta.dirname, '../../../..');

const isSource = (path: string): boolean =>
  !/\.spec\.ts$|\/generated\/|\/testing\/|\/dist\/|\/node_modules\/|^libs\/contract\/|^apps\/(demo|platform|simulators)\//.test(
    path,
  );

const words = new Set(
  globSync('{apps,libs}/*/src/**/*.ts', { cwd: root })
    .filter(isSource)
    .flatMap((path) => readFileSync(join(root, path), 'utf8').match(/[A-Za-z_$]\w*/g) ?? []),
);

function objectsIn(value: unknown, found = new Set<unknown>()): Set<unknown> {
  if (typeof value !== 'object' || value === null) return found;
  found.add(value);
  for (const each of Object.values(value)) objectsIn(each, found);
  return found;
}

function namesIn(value: unknown, given: ReadonlySet<unknown>): string[] {
  if (typeof value !== 'object' || value === null || given.has(value)) return [];
  if (Array.isArray(value)) return value.flatMap((each) => namesIn(each, given));
  if (Object.getPrototypeOf(value) !== Object.prototype) return [];
  return Object.entries(value).flatMap(([name, each]) => [name, ...(name === 'tags' ? [] : namesIn(each, given))]);
}

const NO_FRAMEWORK = 'a framework changes nothing of what is sent';

/** Names without a reader, each with the reason. */
const unread: Readonly<Record<string, string>> = {
  'configureApplication adm_framework': NO_FRAMEWORK,
  'configureApplication android_framework': NO_FRAMEWORK,
  'configureApplication ios_framework': NO_FRAMEWORK,
  'configureApplication macos_key_management_type': 'has one value',
  'configureApplication safari_key_management_type': 'has one value',
  'configureApplication firefox_is_enabled': 'the contract reads it itself, and says whether the platform is enabled',
};

it.each(Object.values<Method>(api).map((method) => [method.name, method] as const))(
  'every parsed field of %s is read by some code',
  (name, method) => {
    const names = new Set(method.examples.flatMap(({ request }) => namesIn(method.parse(request), objectsIn(request))));
    const missing = [...names].filter((each) => !words.has(each)).map((each) => `${name} ${each}`);
    const excused = Object.keys(unread).filter((each) => each.startsWith(`${name} `));
    expect(missing.toSorted()).toEqual(excused.toSorted());
  },
);
