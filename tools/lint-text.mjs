// Lints texts as if they were in files, which need not exist: reads [{file, code}] as JSON from stdin and writes the
// rules of the layers that each one breaks. A separate process, because ESLint's configuration waits for the project graph.
import { ESLint } from 'eslint';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import tseslint from 'typescript-eslint';
import { root } from './packages.mjs';

const layerRules = ['@nx/enforce-module-boundaries', 'no-restricted-imports', 'no-restricted-syntax'];
const eslint = new ESLint({ cwd: root, overrideConfig: [tseslint.configs.disableTypeChecked] });

const found = [];
for (const { file, code } of JSON.parse(await text(process.stdin))) {
  const [result] = await eslint.lintText(code, { filePath: join(root, file) });
  if (!result) throw new Error(`ESLint ignores ${file}`);
  const fatal = result.messages.find((message) => message.fatal);
  if (fatal) throw new Error(`${file}: ${fatal.message}`);
  found.push(result.messages.filter(({ ruleId }) => layerRules.includes(ruleId)).map(({ message }) => message));
}
process.stdout.write(JSON.stringify(found));
