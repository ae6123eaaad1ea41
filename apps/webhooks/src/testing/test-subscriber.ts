// The stand-ins are a separate program; specs of streams use them as well.
// eslint-disable-next-line @nx/enforce-module-boundaries -- only specs import this file
export {
  type Consumer,
  dialIn,
  type HttpSubscriber,
  type ReceivedEvent,
  type ReceivedPost,
  selfSigned,
  startHttpSubscriber,
  startSubscriber,
  type Subscriber,
} from '@tidings/simulators';
