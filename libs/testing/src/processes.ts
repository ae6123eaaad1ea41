export {
  type Member,
  type NodeProcess,
  type PlatformProcess,
  smallGroups,
  startNode,
  startPlatformProcess,
  untilReady,
} from '@tidings/demo';
