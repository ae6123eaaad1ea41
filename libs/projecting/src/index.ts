export { project, type ProjectedDocument, type Projection } from './project.ts';
export { RecentParts } from './recent-parts.ts';
export { dropSeen, type SeenPlaces, type Stamp } from './seen.ts';
