// Builds what checks the chart, and fails without it: the chart must not pass for lack of its checks.
import { moduleFolder } from './go-programs.mjs';
import { canHaveHelm, helmPrograms, schemaModules } from './helm.mjs';

try {
  if (!canHaveHelm()) throw new Error('Go is missing');
  const { helm, kubeconform } = await helmPrograms();
  for (const module of Object.values(schemaModules)) await moduleFolder(module);
  console.log(`${helm}\n${kubeconform}`);
  console.log('1 passed, 0 failed');
} catch (error) {
  console.error(`helm and kubeconform are missing: ${error.message}`);
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
