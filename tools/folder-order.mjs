// A rule of the linter: a folder of an app imports only from those before it.
import { dirname, join, sep } from 'node:path';

/** Files beside the folders wire them: they may import all. */
const folders = {
  'audience-jobs': ['jobs', 'exports'],
  cli: ['data', 'doctor', 'configure', 'import', 'commands'],
  demo: ['process', 'cluster', 'walkthrough', 'web-push'],
  dispatcher: ['attempts', 'pace', 'stop', 'throttle', 'channels', 'sent', 'send', 'claim', 'retry', 'receive'],
  fanout: ['release', 'scan', 'plan', 'emit', 'settle', 'watch', 'pace', 'storage'],
  gateway: [
    'json',
    'envelopes',
    'auth',
    'limits',
    'system',
    'exports',
    'http',
    'openapi',
    'reports',
    'mail',
    'devices',
    'methods',
    'api',
  ],
  platform: [],
  registry: [
    'identities',
    'accounts',
    'tokens',
    'presets',
    'applications',
    'addresses',
    'entry-states',
    'devices',
    'tags',
    'segments',
    'geozones',
    'plans',
    'inbox',
    'test-devices',
    'audiences',
    'purge',
  ],
  scheduler: ['messages', 'accept'],
  statistics: ['storage', 'conversions', 'projections', 'dead-letters'],
  webhooks: ['subscriptions', 'facts', 'events', 'streams', 'dial-in'],
};

const folderOf = (path) => /(?:^|\/)apps\/([\w-]+)\/src\/([\w-]+)\//.exec(path.split(sep).join('/'))?.slice(1);

/** Undefined if the import is allowed. */
function misplaced(file, imported) {
  const [app, from] = folderOf(file) ?? [];
  if (!folders[app]) return undefined;
  const rank = (folder) => folders[app].indexOf(folder);
  if (rank(from) < 0) return `${from} has no place in tools/folder-order.mjs`;
  const [target, to] = folderOf(join(dirname(file), imported)) ?? [];
  if (target !== app || to === from) return undefined;
  return rank(to) < rank(from) ? undefined : `${from} may not import from ${to} (tools/folder-order.mjs)`;
}

export const folderOrder = {
  meta: { type: 'problem' },
  create: (context) => {
    const check = ({ source }) => {
      if (!source?.value.startsWith('.')) return;
      const message = misplaced(context.filename, source.value);
      if (message) context.report({ node: source, message });
    };
    return { ImportDeclaration: check, ExportNamedDeclaration: check, ExportAllDeclaration: check };
  },
};
