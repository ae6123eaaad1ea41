import { createProjectGraphAsync } from '@nx/devkit';
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

// Without a project graph nx skips the boundaries and passes; with a stale one it passes what it does not know.
process.env.NX_DAEMON ??= 'false';
await createProjectGraphAsync({ exitOnError: true });

const layer = (name) => `layer:${name}`;
const domain = ['domain', 'channels', 'delivery'];
const inner = ['kernel', 'telemetry', 'events', 'rpc', 'contract', ...domain, 'platform-lib', 'service'];

/** What each layer may import of the workspace. */
const mayImport = {
  kernel: [],
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
  service: ['kernel', 'telemetry', 'events', 'rpc', 'platform-lib'],
  app: inner,
  'command-line': [...inner, 'client'],
  host: [...inner, 'client', 'app'],
  testing: [...inner, 'client', 'app', 'host', 'testing'],
};

/** What the pure layers must not import of npm, whether by its name or a path below it. */
const infrastructure = [
  '@nestjs/*',
  '@grpc/*',
  ...['mongoose', 'mongodb', 'kafkajs', 'zod'].flatMap((name) => [name, `${name}/*`]),
];

/** On packages that Nest must not reach, directly or through another: they import only each other. */
const nestFree = 'nest:never';

/** Specs may besides import the testing lib, and those of the kernel what they test with. */
const boundaries = ({ forSpecs }) => {
  const pure = Object.fromEntries(domain.map((name) => [name, infrastructure]));
  const banned = { ...pure, kernel: forSpecs ? infrastructure : ['*'] };
  return [
    'error',
    {
      // A spec imports testing, which imports the lib under test: a cycle of projects, but not of files.
      // Cycles of files, across packages too, are found by tools/cycles.mjs.
      ignoredCircularDependencies: [['@tidings/testing', '*']],
      depConstraints: [
        ...Object.entries(mayImport).map(([source, targets]) => ({
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

/** Contacts by e-mail are a chapter of the API; all other code asks the definition of a channel, or a table of platforms. */
const noPlatformIsSpecial = {
  selector:
    "BinaryExpression[operator=/^[!=]==$/] > MemberExpression[object.name='Platform'][property.name!='Email'], SwitchCase > MemberExpression[object.name='Platform']",
  message: 'Ask the ChannelDefinition, or a trait of the platform (libs/kernel/src/platforms.ts).',
};

const devicesStayBelowFanout = {
  patterns: [{ group: ['**/fanout/**'], message: 'fanout/ imports devices/, never the other way.' }],
};

export default tseslint.config(
  { ignores: ['**/node_modules/**', '**/dist/**', '**/generated/**', 'coverage/**', '.nx/**', '.tidings/**'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    plugins: { '@nx': nx },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@nx/enforce-module-boundaries': boundaries({ forSpecs: false }),
      'no-restricted-imports': ['error', kafkaStaysInStreaming],
      'no-restricted-syntax': ['error', noPlatformIsSpecial],

      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // A port may promise where one of its implementations has nothing to wait for; a Nest module is an empty class.
      '@typescript-eslint/require-await': 'off',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',

      // A budget, not a law.
      complexity: ['warn', 12],
      'max-depth': ['warn', 4],
      'max-params': ['warn', 5],
      'max-lines': ['warn', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['warn', { max: 70, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['apps/registry/src/devices/**/*.ts'],
    rules: { 'no-restricted-imports': ['error', { ...kafkaStaysInStreaming, ...devicesStayBelowFanout }] },
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
      '@typescript-eslint/unbound-method': 'off',
      'no-restricted-syntax': 'off',
      'max-lines': ['error', { max: 500 }],
      'max-lines-per-function': 'off',
    },
  },
  { files: ['bench/**/*.ts', 'tools/**/*.ts'], rules: { 'no-console': 'off' } },
);
