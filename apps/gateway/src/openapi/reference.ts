import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { gzip } from 'node:zlib';
import { TEXT_LIMIT } from '@tidings/contract';
import type { OpenApi } from './openapi-document.ts';
import { placeholders } from './introduction.ts';

export interface Asset {
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly gzipped: Uint8Array;
}

export interface Reference {
  readonly page: Asset;
  readonly assets: ReadonlyMap<string, Asset>;
}

export const ASSETS_PATH = '/docs/assets';
export const DOCUMENT_PATH = '/openapi.json';

export const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const pack = promisify(gzip);

export async function assetOf(type: string, content: Uint8Array | string): Promise<Asset> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return { type, bytes, gzipped: await pack(bytes, { level: 9 }) };
}

/** Colours have a contrast of 4.5, tokens are not masked by dots, and shell commands wrap. */
const customCss = `
.light-mode { --scalar-color-3: #666; --scalar-color-green: #007048; --scalar-color-blue: #0067b0; --scalar-color-accent: #0067b0; --scalar-color-orange: #b53d00 }
.dark-mode { --scalar-color-3: #9a9a9a }
.scalar-app .credential .credential-value { color: inherit; font-size: inherit }
.scalar-app .credential::after { content: none }
.scalar-app pre > code.language-sh { overflow: visible }
.scalar-app pre > code.language-sh, .scalar-app pre > code.language-sh * { white-space: pre-wrap !important; overflow-wrap: anywhere }
`;

/** No feature may call another host. */
const configuration = {
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  persistAuth: false,
  documentDownloadType: 'none',
  hideModels: true,
  orderSchemaPropertiesBy: 'preserve',
  expandAllSchemaProperties: true,
  operationTitleSource: 'summary',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  customCss,
  authentication: {
    securitySchemes: {
      api: { value: `Api ${placeholders.api}` },
      device: { value: `Token ${placeholders.device}` },
      administrator: { token: placeholders.administrator },
    },
  },
};

function scriptOf({ paths }: OpenApi): string {
  const operations = Object.values(paths).flatMap((of) => Object.values(of));
  const sections = Object.fromEntries(operations.map(({ operationId, tags }) => [operationId, tags[0]]));
  return `const sections = ${JSON.stringify(sections)};
const open = () => {
  const name = decodeURIComponent(location.hash.slice(1));
  if (Object.hasOwn(sections, name)) history.replaceState(null, '', '#tag/' + sections[name] + '/' + name);
};
open();
addEventListener('hashchange', () => {
  open();
  dispatchEvent(new PopStateEvent('popstate'));
});
const show = (document) =>
  Scalar.createApiReference('#reference', {
    ...${JSON.stringify(configuration)},
    content: document,
    servers: [{ url: location.origin }],
    generateTagSlug: ({ name }) => name,
    generateOperationSlug: ({ operationId }) => operationId,
  });
const isGeneralLimit = (key, value) => key === 'maxLength' && value === ${TEXT_LIMIT};
fetch('${DOCUMENT_PATH}')
  .then((reply) => reply.text())
  .then((text) => show(JSON.parse(text, (key, value) => (isGeneralLimit(key, value) ? undefined : value))));
`;
}

const pageOf = (scripts: readonly string[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tidings API</title>
<link rel="icon" href="data:,">
</head>
<body>
<noscript>This page needs JavaScript. The same for programs: <a href="${DOCUMENT_PATH}">openapi.json</a>.</noscript>
<div id="reference"></div>
${scripts.map((name) => `<script src="${ASSETS_PATH}/${name}"></script>`).join('\n')}
</body>
</html>
`;

const named = (name: string, bytes: Uint8Array): string =>
  `${name}.${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.js`;

const workerUrl = new URL(`viewer.worker${extname(import.meta.url)}`, import.meta.url);

async function viewer(): Promise<Uint8Array> {
  const worker = new Worker(workerUrl);
  try {
    const [script] = (await once(worker, 'message')) as [Uint8Array];
    return script;
  } finally {
    await worker.terminate();
  }
}

/** Takes a second and ten megabytes. */
export async function referenceOf(document: OpenApi): Promise<Reference> {
  const scripts = [
    ['viewer', await viewer()],
    ['page', Buffer.from(scriptOf(document))],
  ] as const;
  const assets = await Promise.all(
    scripts.map(async ([name, bytes]) => {
      const asset = await assetOf('text/javascript; charset=utf-8', bytes);
      return [named(name, bytes), asset] as const;
    }),
  );
  const names = assets.map(([name]) => name);
  return { page: await assetOf('text/html; charset=utf-8', pageOf(names)), assets: new Map(assets) };
}
