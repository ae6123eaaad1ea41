// The structure of the workspace: which layer may import what. All other rules about code are in .oxlintrc.json.
import { createProjectGraphAsync } from '@nx/devkit';
import nx from '@nx/eslint-plugin';
import * as parser from '@typescript-eslint/parser';
import { defineConfig } from 'eslint/config';
import { folderOrder } from './tools/folder-order.mjs';

// Without a project graph nx skips the boundaries and passes; with a stale one it passes what it does not know.
process.env.NX_DAEMON ??= 'false';
await createProjectGraphAsync({ exitOnError: true });

const layer = (name) => `layer:${name}`;
const domain = ['domain', 'channels', 'delivery'];
const inner = ['kernel', 'telemetry', 'events', 'rpc', 'contract', ...domain, 'platform-lib', 'service'];

const allowedImports = {
  kernel: [],
  // Loaded by other sites: what it imports, their visitors download.
  browser: [],
  telemetry: ['kernel'],
  events: ['kernel'],
  rpc: ['kernel', 'telemetry', 'events', 'platform-lib'],
  contract: ['kernel'],
  client: ['kernel', 'contract'],
  domain: ['kernel', 'events'],
  // The domain of sends rests on that of messages.
  channels: ['kernel', 'events', 'domain'],
  delivery: ['kernel', 'events', 'domain', 'channels'],
  'platform-lib': ['kernel', 'telemetry', 'events', 'platform-lib'],
  // Two services share this database.
  store: ['kernel', 'events', ...domain, 'platform-lib'],
  service: ['kernel', 'telemetry', 'events', 'rpc', 'platform-lib'],
  app: [...inner, 'store'],
  'command-line': [...inner, 'client'],
  host: [...inner, 'client', 'app'],
  demo: [...inner, 'client', 'host'],
  testing: [...inner, 'client', 'app', 'host', 'demo', 'testing'],
};

/** The pure layers import none of these packages. */
const infrastructure = [
  '@nestjs/*',
  '@grpc/*',
  ...['mongoose', 'mongodb', 'kafkajs', 'zod'].flatMap((name) => [name, `${name}/*`]),
];

/** On packages that Nest must not reach, directly or through another: they import only each other. */
const nestFree = 'nest:never';

/** Programs that specs of apps may import: the simulators export the tokens and addresses that they treat specially. */
const programsForSpecs = ['@tidings/simulators', '@tidings/cli'];

/** Specs may besides import the testing lib, those of apps some programs, and those of the kernel what they test with. */
const boundaries = ({ forSpecs, programs = [] }) => {
  const pure = Object.fromEntries(domain.map((name) => [name, infrastructure]));
  const banned = { ...pure, kernel: forSpecs ? infrastructure : ['*'], browser: forSpecs ? infrastructure : ['*'] };
  return [
    'error',
    {
      allow: programs,
      // A spec imports testing, which imports the lib under test: a cycle of projects, but not of files.
      // Cycles of files, across packages too, are found by tools/cycles.mjs.
      ignoredCircularDependencies: [['@tidings/testing', '*']],
      // The platform loads all services in the embedded mode, and else only those of its process.
      checkDynamicDependenciesExceptions: ['@tidings/**'],
      depConstraints: [
        ...Object.entries(allowedImports).map(([source, targets]) => ({
          sourceTag: layer(source),
          onlyDependOnLibsWithTags: (forSpecs ? [...targets, 'testing'] : targets).map(layer),
          ...(banned[source] ? { bannedExternalImports: banned[source] } : {}),
        })),
        {
          sourceTag: nestFree,
          onlyDependOnLibsWithTags: [nestFree, ...(forSpecs ? [layer('testing')] : [])],
          bannedExternalImports: ['@nestjs/*'],
        },
      ],
    },
  ];
};

const specs = ['**/*.spec.ts', '**/*.features.ts', 'apps/*/src/**/testing/**/*.ts'];

const kafkaStaysInStreaming = {
  paths: [
    {
      name: 'kafkajs',
      message: 'Only libs/streaming/src/kafka speaks to Kafka; use the port of @tidings/streaming.',
    },
  ],
};

const registryStoreIsPrivate = {
  patterns: [
    {
      group: ['@tidings/registry-store', '@tidings/registry-store/*'],
      message: "Only the registry and the fan-out read the registry's database; ask the registry.",
    },
  ],
};

/** Contacts by e-mail are a chapter of the API; all other code asks the definition of a channel, or a table of platforms. */
const noPlatformIsSpecial = {
  selector:
    "BinaryExpression[operator=/^[!=]==$/] > MemberExpression[object.name='Platform'][property.name!='Email'], SwitchCase > MemberExpression[object.name='Platform']",
  message: 'Ask the ChannelDefinition, or a trait of the platform (libs/kernel/src/platforms.ts).',
};

export default defineConfig(
  { ignores: ['**/node_modules/**', '**/dist/**', '**/generated/**', 'coverage/**', '.nx/**', '.tidings/**'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    plugins: { '@nx': nx },
    languageOptions: { parser },
    rules: {
      '@nx/enforce-module-boundaries': boundaries({ forSpecs: false }),
      'no-restricted-imports': ['error', { ...kafkaStaysInStreaming, ...registryStoreIsPrivate }],
      'no-restricted-syntax': ['error', noPlatformIsSpecial],
    },
  },
  {
    files: ['apps/*/src/**/*.ts'],
    ignores: specs,
    plugins: { tidings: { rules: { 'folder-order': folderOrder } } },
    rules: { 'tidings/folder-order': 'error' },
  },
  {
    files: ['apps/{registry,fanout}/**/*.ts', 'libs/registry-store/**/*.ts', 'bench/**/*.ts'],
    rules: { 'no-restricted-imports': ['error', kafkaStaysInStreaming] },
  },
  {
    // The examples are programs of readers outside.
    files: ['libs/streaming/src/kafka/**/*.ts', 'libs/testing/src/**/*.ts', 'examples/**/*.ts'],
    rules: { 'no-restricted-imports': 'off' },
  },
  {
    files: specs,
    rules: {
      '@nx/enforce-module-boundaries': boundaries({ forSpecs: true }),
      'no-restricted-syntax': 'off',
    },
  },
  {
    files: specs.map((pattern) => (pattern.startsWith('apps/') ? pattern : `apps/${pattern}`)),
    rules: { '@nx/enforce-module-boundaries': boundaries({ forSpecs: true, programs: programsForSpecs }) },
  },
);
