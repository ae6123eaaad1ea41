// The stand-ins are a program of their own; specs of streams run against them all the same.
// eslint-disable-next-line @nx/enforce-module-boundaries -- only specs import this file
export { type ReceivedEvent, selfSigned, startSubscriber, type Subscriber } from '@tidings/simulators';
