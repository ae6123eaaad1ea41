export { type Cluster, type ClusterOptions, startCluster } from './cluster/cluster.ts';
export { Member } from './cluster/cluster-member.ts';
export { smallGroups } from './cluster/service-programs.ts';
export { type NodeProcess, startNode } from './process/node-process.ts';
export { type PlatformProcess, startPlatformProcess } from './process/platform-process.ts';
export { untilReady } from './process/until-ready.ts';
