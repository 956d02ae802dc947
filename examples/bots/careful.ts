/** The careful maker, as it is: `node careful.ts`. */
import { Maker, optionsFrom } from './maker.ts'

await new Maker(optionsFrom(process.env)).run()
