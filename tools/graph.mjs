// Fails when nx and the workspace disagree about which packages there are, or when a package has no layer: the import
// rules say nothing about a package that they do not know.
import { createProjectGraphAsync } from '@nx/devkit';
import { packages } from './packages.mjs';

const { nodes } = await createProjectGraphAsync({ exitOnError: true });
const known = Object.values(nodes).filter(({ data }) => data.root !== '.');
const faults = [
  ...packages.filter(({ name }) => !nodes[name]).map(({ name }) => `${name} is not in nx's project graph`),
  ...known
    .filter(({ data }) => data.tags?.filter((tag) => tag.startsWith('layer:')).length !== 1)
    .map(({ name }) => `${name} needs exactly one tag that starts with "layer:"`),
];
for (const fault of faults) console.error(fault);
console.log(`${known.length} packages`);
process.exit(faults.length > 0 ? 1 : 0);
