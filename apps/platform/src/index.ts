export { ApiClient, issueTokens, type MethodName, Refusal, type ReplyOf, type Secrets } from './client/api-client.ts';
export { HttpClient, type Reply, type Sent } from './client/http-client.ts';
export { openPlatform, type Platform, type PlatformOptions } from './platform.ts';
export { type Cluster, type ClusterOptions, startCluster } from './cluster/cluster.ts';
export { Member } from './cluster/cluster-member.ts';
export { type NodeProcess, startNode } from './process/node-process.ts';
export { type PlatformProcess, type PlatformProcessOptions, startPlatformProcess } from './process/platform-process.ts';
