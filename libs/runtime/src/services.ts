export const requiredByAll = ['KAFKA_BROKERS', 'TIDINGS_MASTER_KEY'] as const;

interface ServiceFacts {
  readonly program: string;
  readonly database?: string;
  readonly required: readonly string[];
  readonly peers: readonly string[];
  readonly isPerChannel?: true;
}

const behindGateway = {
  'audience-jobs': {
    program: 'audience-jobs/dist/main.js',
    database: 'audience_jobs',
    required: ['MONGO_URL'],
    peers: ['registry'],
  },
  registry: { program: 'registry/dist/main.js', database: 'registry', required: ['MONGO_URL'], peers: [] },
  scheduler: { program: 'scheduler/dist/main.js', database: 'scheduler', required: ['MONGO_URL'], peers: ['registry'] },
  fanout: { program: 'fanout/dist/main.js', database: 'registry', required: ['MONGO_URL'], peers: [] },
  dispatcher: {
    program: 'dispatcher/dist/main.js',
    database: 'dispatcher',
    required: ['MONGO_URL', 'TIDINGS_CHANNEL'],
    peers: ['registry'],
    isPerChannel: true,
  },
  statistics: { program: 'statistics/dist/main.js', database: 'statistics', required: ['MONGO_URL'], peers: [] },
  webhooks: {
    program: 'webhooks/dist/main.js',
    database: 'webhooks',
    required: ['MONGO_URL'],
    peers: ['registry', 'dispatcher'],
  },
} as const satisfies Record<string, ServiceFacts>;

export type BackendName = keyof typeof behindGateway;

export const backendNames = Object.keys(behindGateway) as readonly BackendName[];

/** In the order in which work flows. */
export const services = {
  gateway: {
    program: 'gateway/dist/main.js',
    required: ['TIDINGS_ADMIN_TOKEN'],
    peers: ['gateway', ...backendNames],
  },
  ...behindGateway,
} as const satisfies Record<string, ServiceFacts>;

export type ServiceName = keyof typeof services;

export type ServiceDatabase = (typeof behindGateway)[BackendName]['database'];

export const addressVariable = (service: ServiceName): string =>
  `${service.toUpperCase().replaceAll('-', '_')}_ADDRESS`;

/** Services are scaled by their lag. */
export const consumerGroups = {
  scheduler: ['scheduler', 'scheduler.visits'],
  statistics: ['statistics'],
  webhooks: ['webhooks'],
} as const satisfies Partial<Record<ServiceName, readonly string[]>>;
