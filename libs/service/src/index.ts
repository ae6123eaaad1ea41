export { connectKafka, kafkaOptions, type KafkaParts } from './connect-kafka.ts';
export { microservice, processModule, rpcServer } from './microservice.ts';
export { runService, type Running, type Service } from './run-service.ts';
export { type ServiceParts, ServiceProcess } from './service-process.ts';
