/** Variables that the processes of all services require. */
export const requiredByAll = ['KAFKA_BROKERS', 'TIDINGS_MASTER_KEY'] as const;

interface ServiceFacts {
  /** The built program of the service, below `apps`. */
  readonly program: string;
  /** The name of the service's database, after the prefix of the deployment. */
  readonly database?: string;
  /** Variables that the process requires in addition to the variables of all services. */
  readonly required: readonly string[];
  /** The services that it calls. */
  readonly peers: readonly string[];
  /** Whether processes serve the channels in `TIDINGS_CHANNEL`: each one, or several together. */
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

/** The services that the gateway calls. */
export type BackendName = keyof typeof behindGateway;

/** The services behind the gateway, in the order in which work flows from one to the next. */
export const backendNames = Object.keys(behindGateway) as readonly BackendName[];

/**
 * The services of the system, in the order in which work flows. Each is a process and a deployment of its own in the distributed mode; the gateway
 * calls all, other gateways included.
 */
export const services = {
  gateway: {
    program: 'gateway/dist/main.js',
    required: ['TIDINGS_ADMIN_TOKEN'],
    peers: ['gateway', ...backendNames],
  },
  ...behindGateway,
} as const satisfies Record<string, ServiceFacts>;

export type ServiceName = keyof typeof services;

/** The name of a service's database, without prefix. */
export type ServiceDatabase = (typeof behindGateway)[BackendName]['database'];

/** The variable of a service's address, e.g. `AUDIENCE_JOBS_ADDRESS`. */
export const addressVariable = (service: ServiceName): string =>
  `${service.toUpperCase().replaceAll('-', '_')}_ADDRESS`;

/**
 * The consumer groups of services that have some for their work: by their lag they are scaled. Those of the fan-out and of dispatchers are in
 * `libs/delivery`. A group of a topic with one partition is not among them: further processes would get none of its records.
 */
export const consumerGroups = {
  scheduler: ['scheduler', 'scheduler.visits'],
  statistics: ['statistics'],
  webhooks: ['webhooks'],
} as const satisfies Partial<Record<ServiceName, readonly string[]>>;
