// Makes the npm package `@tidings/client` of libs/client, for backends: ESM, CommonJS, and types from the OpenAPI document.
//   node tools/client-package.mjs folder
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './packages.mjs';

const built = (path) => import(pathToFileURL(join(root, path)).href);

/** All that the client reads of the contract. */
async function methodTable() {
  const { api } = await built('libs/contract/dist/index.js');
  const read = ['family', 'verb', 'path', 'scope', 'status', 'body', 'textReply', 'deadlineMs'];
  return Object.fromEntries(
    Object.entries(api).map(([name, method]) => [name, Object.fromEntries(read.map((key) => [key, method[key]]))]),
  );
}

async function writeCode(folder) {
  const contents = `export const api = ${JSON.stringify(await methodTable())};`;
  const contract = {
    name: 'method table',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^@tidings\/contract$/ }, ({ path }) => ({ path, namespace: 'methods' }));
      onLoad({ filter: /.*/, namespace: 'methods' }, () => ({ contents }));
    },
  };
  const entry = `export { TidingsClient } from './tidings-client.ts'; export { Refusal } from './api-client.ts';`;
  for (const [format, file] of [
    ['esm', 'index.js'],
    ['cjs', 'index.cjs'],
  ]) {
    await build({
      stdin: { contents: entry, resolveDir: join(root, 'libs/client/src') },
      outfile: join(folder, file),
      bundle: true,
      format,
      platform: 'node',
      target: 'node20',
      plugins: [contract],
      logLevel: 'warning',
    });
  }
}

async function writeTypes(folder) {
  const { openApiOf } = await built('apps/gateway/dist/openapi/openapi-document.js');
  const document = openApiOf('https://push.example.com');
  const [source, target] = [join(folder, 'openapi.json'), join(folder, 'generated')];
  writeFileSync(source, JSON.stringify(document));
  const generator = join(root, 'node_modules/@hey-api/openapi-ts/bin/run.js');
  execFileSync(process.execPath, [generator, '-i', source, '-o', target, '-p', '@hey-api/typescript', '-s']);
  renameSync(join(target, 'types.gen.ts'), join(folder, 'types.d.ts'));
  rmSync(source);
  rmSync(target, { recursive: true });
  const names = Object.values(document.paths).flatMap((verbs) =>
    Object.values(verbs).map(({ operationId }) => operationId),
  );
  const exported = [...readFileSync(join(folder, 'types.d.ts'), 'utf8').matchAll(/^export type (\w+)/gm)];
  // The generator writes CreateSms for createSMS.
  const typeNames = new Map(exported.map(([, name]) => [name.toLowerCase(), `types.${name}`]));
  const typeOf = (name) => typeNames.get(name.toLowerCase());
  const methods = names.map(
    (name) => `  ${name}: { data: ${typeOf(`${name}Data`)}; replies: ${typeOf(`${name}Responses`)} };`,
  );
  const text = `import type * as types from './types.js';

export type * from './types.js';

export interface Methods {
${methods.join('\n')}
}

export type MethodName = keyof Methods;

type FieldsOf<Part> = [Part] extends [never] ? unknown : Part extends object ? Part : unknown;
type BodyOf<Body> = Body extends { request: infer Request } ? Omit<Request, 'auth'> : Body;

/** The fields of the path, the query and the body together. */
export type Parameters<Name extends MethodName> = FieldsOf<BodyOf<NonNullable<Methods[Name]['data']['body']>>> &
  FieldsOf<NonNullable<Methods[Name]['data']['path']>> &
  FieldsOf<NonNullable<Methods[Name]['data']['query']>>;

type ReplyOf<Replies> = Replies[keyof Replies];
type ResponseOf<Reply> = Reply extends { status_code: 210 }
  ? never
  : Reply extends { status_code: 200; response: infer Response }
    ? Response
    : Reply extends { status_code: 200 }
      ? undefined
      : Reply;

/** What a successful call returns. */
export type Result<Name extends MethodName> = ResponseOf<ReplyOf<Methods[Name]['replies']>>;

export interface TidingsOptions {
  /** Of the gateway, or of several, which are used in turn. */
  readonly url: string | readonly string[];
  readonly apiToken?: string;
  readonly deviceToken?: string;
  readonly adminToken?: string;
  /** Per address. @default 32 */
  readonly connections?: number;
}

export declare class TidingsClient {
  constructor(options: TidingsOptions);
  /**
   * Repeats the call for a minute while the reply has Retry-After, if nothing is done twice by that. Messages get a \`transactionId\` for it.
   * @throws Refusal
   */
  call<Name extends MethodName>(name: Name, parameters: Parameters<Name>): Promise<Result<Name>>;
  close(): void;
}

/** A reply that is not a success. */
export declare class Refusal extends Error {
  readonly reply: { readonly status: number; readonly body: unknown };
}
`;
  writeFileSync(join(folder, 'index.d.ts'), text);
  writeFileSync(
    join(folder, 'index.d.cts'),
    text.replaceAll(`'./types.js'`, `'./types.js' with { 'resolution-mode': 'import' }`),
  );
}

const folder = resolve(process.argv[2]);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
await writeCode(folder);
await writeTypes(folder);
const { version, license, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const manifest = {
  name: '@tidings/client',
  version,
  description: 'The client of Tidings for backends',
  license,
  type: 'module',
  engines,
  exports: {
    '.': {
      import: { types: './index.d.ts', default: './index.js' },
      require: { types: './index.d.cts', default: './index.cjs' },
    },
  },
};
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
writeFileSync(join(folder, 'README.md'), readFileSync(join(root, 'docs/clients.md')));
