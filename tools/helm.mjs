// The programs that check the chart. Needs only Node and Go.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { builtOnce, cache, hasGo } from './go-programs.mjs';

const HELM_VERSION = '3.22.0';
const KUBECONFORM_VERSION = '0.8.0';

export const KUBERNETES_VERSION = '1.37.2';

/** The newest Gateway API that Go 1.26 accepts. */
export const schemaModules = {
  kubernetes: `k8s.io/kubernetes@v${KUBERNETES_VERSION}`,
  gatewayApi: 'sigs.k8s.io/gateway-api@v1.6.3',
  keda: 'github.com/kedacore/keda/v2@v2.21.0',
  prometheus: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
};

/** Without optimization: a fifth less work. */
const flags = ['-gcflags=all=-N -l'];

const programs = {
  helm: {
    path: join(cache, `helm-${HELM_VERSION}`, 'helm'),
    module: `helm.sh/helm/v3/cmd/helm@v${HELM_VERSION}`,
    flags,
  },
  kubeconform: {
    path: join(cache, `kubeconform-${KUBECONFORM_VERSION}`, 'kubeconform'),
    module: `github.com/yannh/kubeconform/cmd/kubeconform@v${KUBECONFORM_VERSION}`,
    flags,
  },
};

export const canHaveHelm = () => Object.values(programs).every(({ path }) => existsSync(path)) || hasGo();

/** Missing programs are built, in some minutes. */
export async function helmPrograms() {
  for (const program of Object.values(programs)) await builtOnce(program);
  return { helm: programs.helm.path, kubeconform: programs.kubeconform.path };
}
