import { describe, expect, it } from '@jest/globals';
import { releaseFaults, releasePlan } from './release-plan.mjs';

const plan = releasePlan({
  version: '1.2.3',
  revision: 'abc',
  registry: 'registry.example/team',
  apps: ['platform', 'registry'],
  packages: ['libs/web-sdk'],
  folder: 'out',
});
const commands = plan.map(({ command }) => command.join(' '));

describe('a release', () => {
  it('builds each image for two processors, and signs it', () => {
    for (const app of ['platform', 'registry']) {
      const image = `registry.example/team/tidings/${app}:1.2.3`;
      const built = commands.find((each) => each.includes(`APP=${app}`));
      expect(built).toContain('--platform linux/amd64,linux/arm64');
      expect(built).toContain(`--build-arg REVISION=abc`);
      expect(built).toContain(`--tag ${image} --push`);
      expect(commands).toContain(`cosign sign --yes ${image}`);
    }
  });

  it('makes packages, chart and bill of materials without a registry or an engine', () => {
    expect(plan.filter(({ needs }) => needs === undefined).map(({ what }) => what)).toEqual([
      'files of dist/npm/client',
      'npm package of dist/npm/client',
      'npm package of libs/web-sdk',
      'chart',
      'bill of materials, CycloneDX',
    ]);
  });

  it('publishes and signs only what it has made', () => {
    const kinds = plan.map(({ needs }) => needs !== undefined);
    expect(kinds.lastIndexOf(false)).toBeLessThan(kinds.indexOf(true));
    expect(commands.at(-1)).toBe('cosign sign-blob --yes --bundle out/sbom.cdx.json.sigstore.json out/sbom.cdx.json');
  });

  const ready = {
    version: '1.2.3',
    changelog: '\n## 1.2.3 (2027-01-15)\n',
    chart: 'name: x\nversion: 1.2.3\nappVersion: 1.2.3\n',
    dockerfile: '\nARG VERSION=1.2.3\n',
    status: '',
  };

  it('is ready if every file names its version, and the tree has no changes', () => {
    expect(releaseFaults(ready)).toEqual([]);
  });

  it.each([
    [{ status: ' M a\n?? b\n' }, 'The tree has changes: 2 files'],
    [{ changelog: '\n## 1.2.2 (2027-01-15)\n' }, 'CHANGELOG.md has no section ## 1.2.3 (date)'],
    [{ chart: 'name: x\nversion: 1.2.3\nappVersion: 1.2.2\n' }, 'Chart.yaml has another appVersion than 1.2.3'],
    [{ dockerfile: '\nARG VERSION=1.2.2\n' }, 'deploy/Dockerfile has another VERSION than 1.2.3'],
  ])('is refused if %j', (change, fault) => {
    expect(releaseFaults({ ...ready, ...change })).toEqual([fault]);
  });
});
