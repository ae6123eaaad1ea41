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
