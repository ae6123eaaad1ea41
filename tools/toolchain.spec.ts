import { describe, expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';

const textOf = (path: string): string => readFileSync(path, 'utf8');
const json = (path: string): unknown => JSON.parse(textOf(path));

interface Package {
  readonly engines: { readonly node: string };
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
const { engines, dependencies, devDependencies } = json('package.json') as Package;
const declared = Object.keys({ ...dependencies, ...devDependencies });

describe('Node', () => {
  const runtime = dependencies['node']!;
  const [major] = runtime.split('.');
  const launcher = /^>=(\d+)$/.exec(engines.node)![1]!;

  it('has one version: the locked one runs on machines and in images', () => {
    const { packages } = json('package-lock.json') as { packages: Record<string, { version: string }> };
    expect(runtime).toMatch(/^\d+\.\d+\.\d+$/);
    expect(packages['node_modules/node']?.version).toBe(runtime);
    expect(textOf('deploy/Dockerfile')).toContain(`ARG NODE=${runtime}-`);
  });

  it.each(['README.md', 'docs/adr/0001-toolchain-pins.md', 'tools/run.mjs', '.ci/run'])(
    'is named in %s: the version that starts npm, and the version that everything runs on',
    (path) => {
      const versions = [...textOf(path).matchAll(/\bNode (?:>= )?(\d+)\b/g)].map(([, version]) => version!);
      expect(versions).toContain(launcher);
      expect(versions.filter((version) => ![launcher, major].includes(version))).toEqual([]);
    },
  );
});

describe('the build context of images', () => {
  const linesOf = (path: string): string[] =>
    textOf(path)
      .split('\n')
      .filter((line) => /^[^#]/.test(line));

  it('contains nothing that Git ignores, such as secrets in .env', () => {
    // A pattern without a slash matches in every folder for Git, and in the root alone for Docker.
    const ignored = linesOf('.gitignore')
      .map((line) => line.replace(/\/$/, ''))
      .map((pattern) => (pattern.includes('/') ? pattern : `**/${pattern}`));
    expect(linesOf('.dockerignore')).toEqual(expect.arrayContaining(ignored));
  });
});

describe('the version of the project', () => {
  const { version } = json('package.json') as { readonly version: string };

  it.each([
    ['package-lock.json', `"version": "${version}",\n  "lockfileVersion"`],
    ['libs/web-sdk/package.json', `"version": "${version}"`],
    ['deploy/Dockerfile', `ARG VERSION=${version}\n`],
    ['deploy/helm/tidings/Chart.yaml', `\nversion: ${version}\n`],
    ['deploy/helm/tidings/Chart.yaml', `\nappVersion: ${version}\n`],
  ])('is stated in %s, too', (path, line) => {
    expect(textOf(path)).toContain(line);
  });

  it('is the last one in CHANGELOG.md, below the unreleased changes, with a date', () => {
    const [first, second = ''] = [...textOf('CHANGELOG.md').matchAll(/^## (.*)$/gm)].map(([, title]) => title!);
    expect(first).toBe('Unreleased');
    expect(/^(\S+) \(\d{4}-\d\d-\d\d\)$/.exec(second)?.[1]).toBe(version);
  });
});

describe('package.json', () => {
  const sources = globSync(['{libs,apps,bench,tools,deploy}/**/*.{ts,mjs}', '*.{ts,mjs}'], {
    exclude: (path) => /(^|\/)(node_modules|dist|generated)$/.test(path),
    // Names packages that may not be imported.
  }).filter((path) => path !== 'tools/boundaries.spec.ts');
  const texts = sources.map(textOf);

  /** Packages that are run or loaded by their names. */
  const withoutImport: Readonly<Record<string, string>> = {
    node: 'is what everything runs on',
    nx: 'is run for the graph of modules, and is what its plugins belong to',
    '@bufbuild/buf': 'is run to generate code from protos',
    'ts-proto': 'is run by buf',
    'oxlint-tsgolint': 'is run by oxlint',
    testcontainers: 'is what its modules for Kafka and MongoDB start containers with: all have one version',
    '@grpc/proto-loader': "is loaded by Nest's transport for gRPC, which does not bring it",
  };

  const isUsed = (name: string): boolean => {
    const quoted = new RegExp(`['"\`](?:node_modules/)?${name}(?:/[^'"\`]*)?['"\`]`);
    return texts.some((text) => quoted.test(text));
  };
  const isTypes = (name: string): boolean => name.startsWith('@types/');

  it('has no unused dependency', () => {
    const unused = declared.filter((name) => !isTypes(name) && !(name in withoutImport) && !isUsed(name));
    expect(unused).toEqual([]);
  });

  it('has every imported dependency', () => {
    const imports = /^(?:import|export)\b(?:[^'"`;=]*?\bfrom)?\s+['"]((?:@[\w.-]+\/)?[\w.-]+)(?:\/[\w./-]+)?['"];?$/gm;
    const imported = texts.flatMap((text) => [...text.matchAll(imports)].map(([, name]) => name!));
    const missing = imported.filter(
      (name) => !name.startsWith('.') && !name.startsWith('@tidings/') && !isBuiltin(name) && !declared.includes(name),
    );
    expect([...new Set(missing)]).toEqual([]);
  });
});
