// Generates TypeScript from proto/; the AsyncAPI document of the public topics; the tables in docs; the README of the chart; and the
// dashboards of Grafana.
//   node tools/generate.mjs           writes
//   node tools/generate.mjs --check   fails when what is committed differs from what would be written
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asyncApi, asyncApiPath } from './asyncapi.mjs';
import { chartReadme, chartReadmePath } from './chart-readme.mjs';
import { dashboards, dashboardsPath } from './dashboards.mjs';
import { filesBelow, root } from './packages.mjs';
import { protoCode, protoFolders } from './protos.mjs';
import { pagesWithTables, tablePages } from './document-tables.mjs';

const filesIn = (folders) => folders.flatMap((folder) => filesBelow(folder).map((path) => `${folder}/${path}`));

/** In order: the tables in documents come from services, which need the generated code. */
const steps = [
  {
    present: () => filesIn(protoFolders),
    expected() {
      const files = filesBelow('proto', 'tidings/**/*.proto').length > 0 ? protoCode() : new Map();
      return files.set(asyncApiPath, asyncApi());
    },
  },
  { present: () => filesIn([dashboardsPath]), expected: dashboards },
  { present: () => tablePages, expected: pagesWithTables },
  { present: () => [chartReadmePath], expected: chartReadme },
];

const isCheck = process.argv.includes('--check');
const counts = { files: 0, written: 0, removed: 0 };
for (const step of steps) {
  const expected = await step.expected();
  const present = new Map(step.present().map((path) => [path, readFileSync(join(root, path), 'utf8')]));
  const stale = [...present.keys()].filter((path) => !expected.has(path));
  const changed = [...expected].filter(([path, text]) => present.get(path) !== text);
  counts.files += expected.size;
  counts.written += changed.length;
  counts.removed += stale.length;
  if (isCheck) {
    const differing = [...stale, ...changed.map(([path]) => path)];
    if (differing.length === 0) continue;
    for (const path of differing) console.error(`differs from what it is made of: ${path}`);
    console.error('Run `npm run generate` and commit what it writes.');
    process.exitCode = 1;
    break;
  }
  for (const path of stale) rmSync(join(root, path));
  for (const [path, text] of changed) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
if (!isCheck) console.error(`generated ${counts.files} files: ${counts.written} written, ${counts.removed} removed`);
