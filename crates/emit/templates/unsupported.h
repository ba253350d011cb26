
/* Reaching it is an error, so that no verifier calls it safe, but says nothing about the program. */
#define unsupported(text) fail("not supported: " text)
