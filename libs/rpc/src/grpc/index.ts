export { expectedMasterKeyId, type RpcAccess, type RpcTls } from './access.ts';
export { parseAddress } from './addresses.ts';
export { rpcControllers } from './controllers.ts';
export { everyReplica, remote, type RemoteOptions } from './remote.ts';
export { openReplicas, type Replicas, type ReplicasOptions } from './replicas.ts';
export { RpcServer, type RpcServerOptions } from './server.ts';
