export { connectKafka, kafkaOptions, type KafkaOptions } from './connect-kafka.ts';
export { microservice, processModule, rpcServer } from './microservice.ts';
export { runService, type Running, type Service } from './run-service.ts';
export { storeModule } from './store-module.ts';
export { type ServiceDepsWithBroker, ServiceProcess } from './service-process.ts';
