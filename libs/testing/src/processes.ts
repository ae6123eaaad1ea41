export {
  type Member,
  type NodeProcess,
  type PlatformProcess,
  startNode,
  startPlatformProcess,
  untilReady,
} from '@tidings/demo';
