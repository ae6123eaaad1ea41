import { describe, expect, it } from '@jest/globals';
import { withDeployment } from './deployment-platforms.ts';

const ios = { platform: 1, enabled: true, configured: true, credentialVersion: 3 };

describe('settings of the deployment (R-A6)', () => {
  it('serve an application without its own, from version 0 on', () => {
    const served = { platform: 18, enabled: true, configured: true, credentialVersion: 0 };
    expect(withDeployment({ platforms: [ios] }, [18]).platforms).toEqual([ios, served]);
    const unused = { platform: 18, enabled: false, configured: false, credentialVersion: 0 };
    expect(withDeployment({ platforms: [unused, ios] }, [18]).platforms).toEqual([ios, served]);
  });

  it('do not affect those of an application, even if it has disabled the platform', () => {
    const own = { platform: 18, enabled: false, configured: true, credentialVersion: 1 };
    for (const application of [{ platforms: [own, ios] }, { platforms: [ios] }]) {
      expect(withDeployment(application, application.platforms.includes(own) ? [18] : [])).toBe(application);
    }
  });
});
