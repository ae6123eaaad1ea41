/** The npm package `@tidings/client`. */
const CLIENT = 'dist/npm/client';

export function releasePlan({ version, revision, registry, apps, packages: folders, helm = 'helm', folder }) {
  const packages = [CLIENT, ...folders];
  const image = (app) => `${registry}/tidings/${app}:${version}`;
  const chart = `${folder}/tidings-${version}.tgz`;
  const sbom = `${folder}/sbom.cdx.json`;
  return [
    { what: `files of ${CLIENT}`, command: ['node', 'tools/client-package.mjs', CLIENT] },
    ...packages.map((path) => ({
      what: `npm package of ${path}`,
      command: ['npm', 'pack', `./${path}`, '--pack-destination', folder],
    })),
    { what: 'chart', command: [helm, 'package', 'deploy/helm/tidings', '--destination', folder] },
    {
      what: 'bill of materials, CycloneDX',
      command: ['npm', 'sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--omit', 'dev'],
      output: sbom,
    },
    ...apps.map((app) => ({
      what: `image of ${app}`,
      needs: 'docker and a registry',
      command: [
        ...['docker', 'buildx', 'build', '--platform', 'linux/amd64,linux/arm64', '--file', 'deploy/Dockerfile'],
        ...['--build-arg', `APP=${app}`, '--build-arg', `VERSION=${version}`, '--build-arg', `REVISION=${revision}`],
        ...['--provenance=mode=max', '--sbom=true', '--metadata-file', `${folder}/${app}.json`],
        ...['--tag', image(app), '--push', '.'],
      ],
    })),
    ...apps.map((app) => ({
      what: `signature of the image of ${app}`,
      needs: 'cosign and a registry',
      command: ['cosign', 'sign', '--yes', image(app)],
    })),
    {
      what: 'chart in the registry',
      needs: 'a registry',
      command: [helm, 'push', chart, `oci://${registry}/tidings/charts`],
    },
    ...packages.map((path) => ({
      what: `npm package of ${path} in the registry`,
      needs: 'a registry',
      command: ['npm', 'publish', `./${path}`, '--provenance', '--access', 'public'],
    })),
    ...[chart, sbom].map((file) => ({
      what: `signature of ${file}`,
      needs: 'cosign',
      command: ['cosign', 'sign-blob', '--yes', '--bundle', `${file}.sigstore.json`, file],
    })),
  ];
}

export function releaseFaults({ version, changelog, chart, dockerfile, status }) {
  const faults = [];
  if (status !== '') faults.push(`The tree has changes: ${status.trim().split('\n').length} files`);
  if (!changelog.includes(`\n## ${version} (`)) faults.push(`CHANGELOG.md has no section ## ${version} (date)`);
  for (const field of ['version', 'appVersion']) {
    if (!chart.includes(`\n${field}: ${version}\n`)) faults.push(`Chart.yaml has another ${field} than ${version}`);
  }
  if (!dockerfile.includes(`\nARG VERSION=${version}\n`))
    faults.push(`deploy/Dockerfile has another VERSION than ${version}`);
  return faults;
}
