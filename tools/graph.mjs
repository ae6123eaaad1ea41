// Fails when nx and the workspace disagree, or a package lacks a layer, targets or edges: nx would test too little.
import { createProjectGraphAsync } from '@nx/devkit';
import { packages } from './packages.mjs';

const { nodes, dependencies } = await createProjectGraphAsync({ exitOnError: true });
const projects = Object.values(nodes).filter(({ data }) => data.root !== '.');
const faults = [
  ...packages.filter(({ name }) => !nodes[name]).map(({ name }) => `${name} is not in nx's project graph`),
  ...projects
    .filter(({ data }) => data.tags?.filter((tag) => tag.startsWith('layer:')).length !== 1)
    .map(({ name }) => `${name} needs exactly one tag that starts with "layer:"`),
  ...projects
    .filter(({ data }) => !data.targets?.build || !data.targets.test)
    .map(({ name }) => `${name} needs the targets build and test`),
  ...(Object.values(dependencies).flat().length > 0
    ? []
    : ['no package depends on another: nx has not read their sources']),
];
for (const fault of faults) console.error(fault);
console.log(`${projects.length} packages`);
process.exit(faults.length > 0 ? 1 : 0);
