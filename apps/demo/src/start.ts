import { enableCompileCache, setSourceMapsSupport } from 'node:module';

// As in `apps/platform/src/main.ts`.
enableCompileCache();
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
const { readConfiguration, runPlatform } = await import('@tidings/platform');
const { pageNote, webPushModules } = await import('./web-push/web-push-page.ts');
const configuration = readConfiguration();
const { url } = await runPlatform(configuration, { modules: webPushModules(configuration) });
process.stderr.write(pageNote(url, configuration));
