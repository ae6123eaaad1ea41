// nx.json defines the targets' commands, inputs and outputs.
import { dirname } from 'node:path';

export const name = 'tidings';

export const createNodes = [
  '{libs,apps}/*/package.json',
  (manifests) =>
    manifests.map((manifest) => {
      const root = dirname(manifest);
      return [manifest, { projects: { [root]: { root, targets: { build: {}, test: {} } } } }];
    }),
];
