import type { OpenApi, Operation } from './document.ts';

const escaped = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

const code = (value: unknown): string =>
  `<pre>${escaped(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}</pre>`;

interface Content {
  readonly schema?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

const contentOf = (of: unknown): Content =>
  Object.values((of as { readonly content?: Readonly<Record<string, Content>> } | undefined)?.content ?? {})[0] ?? {};

function contentHtml(title: string, { schema, examples }: Content): string {
  const shown = Object.values(examples ?? {}).map(({ value }) => code(value));
  const whole = schema === undefined ? '' : `<details><summary>Schema</summary>${code(schema)}</details>`;
  return shown.length === 0 && whole === '' ? '' : `<h4>${title}</h4>${shown.join('')}${whole}`;
}

const schemesOf = ({ security }: Operation): string =>
  security.length === 0 ? 'no token' : security.map((each) => Object.keys(each)[0] ?? 'no token').join(' or ');

function operationHtml(verb: string, path: string, operation: Operation): string {
  const { operationId, summary, requestBody, responses } = operation;
  return [
    `<details class="operation" id="${operationId}"><summary><b>${verb.toUpperCase()}</b> <code>${escaped(path)}</code>`,
    ` <span>${escaped(schemesOf(operation))}</span></summary><p>${escaped(summary)}</p>`,
    contentHtml('Request', contentOf(requestBody)),
    contentHtml('Reply', contentOf(Object.values(responses)[0])),
    '</details>',
  ].join('');
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
pre{background:#f5f5f5;padding:.75rem;overflow:auto;font-size:.85rem}summary{cursor:pointer}.operation{border-top:1px solid #ddd;padding:.4rem 0}
.operation>summary span{color:#666;float:right}h2{text-transform:capitalize;margin-top:2.5rem}`;

/** The document as one page that needs nothing but itself. */
export function pageOf({ info, servers, tags, paths }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, of]) =>
    Object.entries(of).map(([verb, operation]) => ({ path, verb, operation })),
  );
  const sections = tags.map(({ name }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return `<h2 id="${name}">${name}</h2>${own.map(({ path, verb, operation }) => operationHtml(verb, path, operation)).join('')}`;
  });
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>Tidings API</title><style>${STYLE}</style></head><body><h1>Tidings API</h1>`,
    `<p>${escaped(String(info['description']))} The same for programs: <a href="${escaped(servers[0]!.url)}/openapi.json">openapi.json</a>.</p>`,
    `<p>${tags.map(({ name }) => `<a href="#${name}">${name}</a>`).join(' · ')}</p>`,
    ...sections,
    '</body></html>',
  ].join('\n');
}
