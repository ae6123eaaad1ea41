import { parseArgs } from 'node:util';
import { Fault } from '@tidings/kernel';
import { readConfiguration, runPlatform } from '@tidings/platform';
import { giveUp } from '@tidings/runtime';
import { pageNote, webPushModules } from './web-push/web-push-page.ts';

try {
  const { mongod } = parseArgs({ options: { mongod: { type: 'string' } } }).values;
  if (mongod !== undefined) process.env['TIDINGS_MONGOD'] = mongod;
} catch (error) {
  giveUp('Tidings', Fault.argument((error as Error).message));
}
const configuration = readConfiguration();
const { url } = await runPlatform(configuration, { modules: webPushModules(configuration) });
process.stderr.write(pageNote(url, configuration));
