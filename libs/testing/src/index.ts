export { testBroker, type TestBrokerOptions } from './broker.ts';
export { TestClock } from './clock.ts';
export { describeWithMongo, startMongo, type TestMongo } from './mongo.ts';
