import { createContext } from 'react';

/** True if a `main` element already surrounds the page; there must be only one. */
export const MainLandmarkContext = createContext(false);
