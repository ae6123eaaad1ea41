// Lints [{file, code}] from stdin by the layer rules (eslint.config.mjs). A separate process, because ESLint's configuration waits for the project
// graph.
import { ESLint } from 'eslint';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { root } from './packages.mjs';

const eslint = new ESLint({ cwd: root });

const found = [];
for (const { file, code } of JSON.parse(await text(process.stdin))) {
  const [result] = await eslint.lintText(code, { filePath: join(root, file) });
  if (!result) throw new Error(`ESLint ignores ${file}`);
  const fatal = result.messages.find((message) => message.fatal);
  if (fatal) throw new Error(`${file}: ${fatal.message}`);
  found.push(result.messages.map(({ message }) => message));
}
process.stdout.write(JSON.stringify(found));
