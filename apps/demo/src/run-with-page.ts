import { readConfiguration, runPlatform } from '@tidings/platform';
import { pageNote, webPushModules } from './web-push/web-push-page.ts';

const configuration = readConfiguration();
const { url } = await runPlatform(configuration, { modules: webPushModules(configuration) });
process.stderr.write(pageNote(url, configuration));
