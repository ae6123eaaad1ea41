export { expectedMasterKeyId, type RpcAccess, type RpcTls } from './rpc-access.ts';
export { parseAddress } from './rpc-addresses.ts';
export { rpcControllers } from './rpc-controllers.ts';
export { everyReplica, remote, type RemoteOptions } from './remote.ts';
export { remoteServices } from './remote-services.ts';
export { openReplicas, type Replicas, type ReplicasOptions } from './replicas.ts';
export { RpcServer, type RpcServerOptions } from './server.ts';
