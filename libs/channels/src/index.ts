export { channelServing, definitionOf, definitions } from './channels.ts';
export { ALERT, type ChannelDefinition } from './definition.ts';
