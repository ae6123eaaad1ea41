import { createEmailMessage } from './createEmailMessage.ts';

describe('createEmailMessage', () => {
  it('compares addresses in lower case, and other hwids as they are (R-E1, R-RES2)', () => {
    const devices = ['Anna@Example.com', 'CRM-1', 'anna@example.com', 'crm-1', 'CRM-1'];
    const notifications = [{ send_date: 'now', preset: 'B1B2C-3D4E5', devices }];
    const parsed = createEmailMessage.parse({ application: 'A1B2C-3D4E5', notifications });
    expect(parsed.notifications[0]!.message.recipients).toMatchObject({
      names: ['anna@example.com', 'CRM-1', 'crm-1'],
    });
  });
});
