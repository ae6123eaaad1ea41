import { Content, type Preset } from '@tidings/events';
import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { type CampaignAction, campaignNameKey, type CampaignState, evolveCampaign } from './campaigns.ts';
import { decideCampaign } from './campaigns.ts';
import {
  approvePreset,
  createPreset,
  deletePreset,
  evolvePreset,
  type PresetAction,
  type PresetState,
} from './presets.ts';

const APP = 'AAAAA-00001';

const campaign = (code: string, id: number, name: string, application = APP) => ({
  code,
  id: BigInt(id),
  application,
  name,
  description: '',
});
const preset = (more: Partial<Preset> = {}): Preset => ({
  code: 'DDDDD-00001',
  application: APP,
  name: 'Welcome',
  campaign: '',
  content: Content.fromPartial({ text: { entries: [{ language: 'default', text: 'Hi' }] } }),
  shortenLink: true,
  platforms: [1, 3],
  filter: '',
  sendRate: 0,
  group: '',
  ...more,
});

class World {
  readonly campaigns = new Map<string, CampaignState>();
  readonly presets = new Map<string, PresetState>();
  applications = [APP];
  readonly #view = {
    campaign: (code: string) => this.campaigns.get(code),
    campaignsNamed: (key: string) => [...this.campaigns.values()].filter(({ named }) => named === key),
    preset: (code: string) => this.presets.get(code),
  };

  do(action: CampaignAction | PresetAction, account = 'a'): AccountEvent['event'][] {
    const isPreset = action.type.endsWith('Preset');
    const changes = this.#decide(account, action);
    for (const event of changes) {
      const code = 'code' in action ? action.code : 'preset' in action ? action.preset.code : action.campaign.code;
      const whole = { account, at: new Date(0), event };
      if (isPreset) this.presets.set(code, evolvePreset(this.presets.get(code), whole)!);
      else this.campaigns.set(code, evolveCampaign(this.campaigns.get(code), whole)!);
    }
    return changes;
  }

  #decide(account: string, action: CampaignAction | PresetAction) {
    switch (action.type) {
      case 'createPreset':
        return createPreset(account, this.#view, action.preset, this.applications);
      case 'approvePreset':
        return approvePreset(account, this.#view, action.code, action.approved);
      case 'deletePreset':
        return deletePreset(account, this.#view, action.code);
      default:
        return decideCampaign(account, this.#view, action);
    }
  }
}

describe('approval of a preset (R-E7)', () => {
  it('exists from the start, until an operator withdraws it', () => {
    const world = new World();
    const { code } = preset();
    const approve = (approved: boolean, account = 'a') => world.do({ type: 'approvePreset', code, approved }, account);
    expect(() => approve(true)).toThrow('Preset not found');
    world.do({ type: 'createPreset', preset: preset() });
    expect(approve(true)).toEqual([]);
    expect(approve(false)).toEqual([{ $case: 'presetApprovalSet', value: { preset: code, approved: false } }]);
    expect(world.presets.get(code)).toMatchObject({ unapproved: true, deleted: false, number: 0 });
    expect(approve(false)).toEqual([]);
    expect(approve(true)).toHaveLength(1);
    expect(world.presets.get(code)).toMatchObject({ unapproved: false });
    expect(() => approve(false, 'b')).toThrow('Preset not found');
    world.do({ type: 'deletePreset', code });
    expect(() => approve(false)).toThrow('Preset not found');
  });
});

describe('campaigns', () => {
  it('are called by name, and created once (R-RES5)', () => {
    const world = new World();
    expect(world.do({ type: 'nameCampaign', campaign: campaign('C1', 1, 'Spring') })).toHaveLength(1);
    expect(world.do({ type: 'nameCampaign', campaign: campaign('C2', 2, 'Spring') })).toEqual([]);
    expect(world.do({ type: 'nameCampaign', campaign: campaign('C3', 3, 'spring') })).toHaveLength(1);
    expect(world.do({ type: 'nameCampaign', campaign: campaign('C4', 4, 'Spring', 'AAAAA-00002') })).toHaveLength(1);
    expect(world.campaigns.get('C1')).toMatchObject({ id: 1, named: campaignNameKey(APP, 'Spring'), deleted: false });
  });

  it('may be created with equal names, and are not found once deleted', () => {
    const world = new World();
    world.do({ type: 'createCampaign', campaign: campaign('C1', 1, 'Spring') });
    world.do({ type: 'createCampaign', campaign: campaign('C2', 2, 'Spring') });
    world.do({ type: 'deleteCampaign', code: 'C1' });
    expect(() => world.do({ type: 'deleteCampaign', code: 'C1' })).toThrow('campaign: not found');
    expect(() => world.do({ type: 'deleteCampaign', code: 'C2' }, 'b')).toThrow('campaign: not found');
    world.do({ type: 'deleteCampaign', code: 'C2' });
    expect(world.do({ type: 'nameCampaign', campaign: campaign('C3', 3, 'Spring') })).toHaveLength(1);
    expect(() => world.do({ type: 'createCampaign', campaign: campaign('C3', 4, 'x') })).toThrow('the code is taken');
  });
});

describe('presets', () => {
  it('keep their values until they are deleted', () => {
    const world = new World();
    world.do({ type: 'createPreset', preset: preset() });
    expect(world.presets.get('DDDDD-00001')).toMatchObject({ application: APP, preset: preset(), deleted: false });
    expect(() => world.do({ type: 'deletePreset', code: 'DDDDD-00001' }, 'b')).toThrow('Preset not found');
    world.do({ type: 'deletePreset', code: 'DDDDD-00001' });
    expect(() => world.do({ type: 'deletePreset', code: 'DDDDD-00001' })).toThrow('Preset not found');
    expect(() => world.do({ type: 'createPreset', preset: preset() })).toThrow('the code is taken');
  });

  it('have names as long as any text, and are small enough to be stored (R-LM4)', () => {
    const world = new World();
    const make = (more: Partial<Preset>) => world.do({ type: 'createPreset', preset: preset(more) });
    const content = Content.fromPartial({ data: 'x'.repeat(1 << 20) });
    expect(() => make({ content })).toThrow('content: at most 1 MiB');
    expect(() => make({ name: 'x'.repeat(65_537) })).toThrow('name: must be 1 to 65536 characters');
    expect(make({ name: 'x'.repeat(65_536) })).toHaveLength(1);
  });

  it('count under a campaign of any application of their group', () => {
    const world = new World();
    world.applications = [APP, 'AAAAA-00002'];
    world.do({ type: 'createCampaign', campaign: campaign('C2', 2, 'Spring', 'AAAAA-00002') });
    world.do({ type: 'createCampaign', campaign: campaign('C3', 3, 'Spring', 'AAAAA-00003') });
    const ofGroup = (of: string) => preset({ application: '', group: 'GGGGG-00001', campaign: of });
    expect(() => world.do({ type: 'createPreset', preset: ofGroup('C3') })).toThrow('campaign: not found');
    world.do({ type: 'createPreset', preset: ofGroup('C2') });
    expect(world.presets.get('DDDDD-00001')).toMatchObject({ application: '', preset: ofGroup('C2') });
  });

  it('count under a campaign of their own application', () => {
    const world = new World();
    world.do({ type: 'createCampaign', campaign: campaign('C1', 1, 'Spring') });
    world.do({ type: 'createCampaign', campaign: campaign('C2', 2, 'Spring', 'AAAAA-00002') });
    expect(world.do({ type: 'createPreset', preset: preset({ campaign: 'C1' }) })).toHaveLength(1);
    for (const campaignCode of ['C2', 'C3']) {
      const other = preset({ code: 'DDDDD-00002', campaign: campaignCode });
      expect(() => world.do({ type: 'createPreset', preset: other })).toThrow('campaign: not found');
    }
  });
});
