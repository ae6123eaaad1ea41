export { connectKafka, kafkaOptions } from './connect-kafka.ts';
export { microservice, processModule, rpcStrategy, serveCalls } from './microservice.ts';
export { runService, runServices } from './run-services.ts';
export type { AnyService, Running, Service } from './service.ts';
export { storeModule } from './store-module.ts';
export { ServiceProcess } from './service-process.ts';
