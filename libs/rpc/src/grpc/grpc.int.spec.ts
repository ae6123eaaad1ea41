import { openReplicas } from './replicas.ts';
import { remote } from './remote.ts';
import { rpcFeatures } from '../rpc.features.ts';
import { serve, testAccess } from './testing/rpc-process.ts';

rpcFeatures('the gRPC binding', async () => {
  const closers: (() => unknown)[] = [];
  return {
    async bind(definition, implementation) {
      const process = await serve([[definition, implementation]]);
      const replicas = await openReplicas(process.address, { access: testAccess });
      closers.push(
        () => replicas.close(),
        () => process.close(),
      );
      // A busy machine takes its time over large messages.
      return remote(definition, replicas, { deadlineMs: 60_000 });
    },
    async close() {
      for (const close of closers) await close();
    },
  };
});
