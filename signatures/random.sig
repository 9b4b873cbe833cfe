Instructions Seen : 0
Instructions Simulated : 0
Simulation limit : 4294967285
Sample rate : 1
Line Length (bytes) : 512
Size of Word (bytes) : 4
Using access sizes : no

Bin: random

TEMPORAL LOCALITY (Reuse Distance CDF):
HitRate(2^0) = 0
HitRate(2^1) = 0
HitRate(2^2) = 0
HitRate(2^3) = 0
HitRate(2^4) = 0
HitRate(2^5) = 0
HitRate(2^6) = 0
HitRate(2^7) = 0
HitRate(2^8) = 0
HitRate(2^9) = 0
HitRate(2^10) = 0
HitRate(2^11) = 0
HitRate(2^12) = 0
HitRate(2^13) = 0
HitRate(2^14) = 0
HitRate(2^15) = 0
HitRate(2^16) = 0

SPATIAL LOCALITY (Probability of Set Reuse):

P(2^2):
Reuse(2^0) = 0
Reuse(2^1) = 0
Reuse(2^2) = 0
Reuse(2^3) = 0
Reuse(2^4) = 0
Reuse(2^5) = 0
Reuse(2^6) = 0
Reuse(2^7) = 0
Reuse(2^8) = 0
Reuse(2^9) = 0
Reuse(2^10) = 0
Reuse(2^11) = 0
Reuse(2^12) = 0
Reuse(2^13) = 0
Reuse(2^14) = 0
Reuse(2^15) = 0
Reuse(2^16) = 0
Avg = 0

P(2^3):
Reuse(2^0) = 0
Reuse(2^1) = 0
Reuse(2^2) = 0
Reuse(2^3) = 0
Reuse(2^4) = 0
Reuse(2^5) = 0
Reuse(2^6) = 0
Reuse(2^7) = 0
Reuse(2^8) = 0
Reuse(2^9) = 0
Reuse(2^10) = 0
Reuse(2^11) = 0
Reuse(2^12) = 0
Reuse(2^13) = 0
Reuse(2^14) = 0
Reuse(2^15) = 0
Reuse(2^16) = 0
Avg = 0

P(2^4):
Reuse(2^0) = 0
Reuse(2^1) = 0
Reuse(2^2) = 0
Reuse(2^3) = 0
Reuse(2^4) = 0
Reuse(2^5) = 0
Reuse(2^6) = 0
Reuse(2^7) = 0
Reuse(2^8) = 0
Reuse(2^9) = 0
Reuse(2^10) = 0
Reuse(2^11) = 0
Reuse(2^12) = 0
Reuse(2^13) = 0
Reuse(2^14) = 0
Reuse(2^15) = 0
Reuse(2^16) = 0
Avg = 0

P(2^5):
Reuse(2^0) = 0
Reuse(2^1) = 0
Reuse(2^2) = 0
Reuse(2^3) = 0
Reuse(2^4) = 0
Reuse(2^5) = 0
Reuse(2^6) = 0
Reuse(2^7) = 0
Reuse(2^8) = 0
Reuse(2^9) = 0
Reuse(2^10) = 0
Reuse(2^11) = 0
Reuse(2^12) = 0
Reuse(2^13) = 0
Reuse(2^14) = 0
Reuse(2^15) = 0
Reuse(2^16) = 0
Avg = 0

P(2^6):
Reuse(2^0) = 0
Reuse(2^1) = 0
Reuse(2^2) = 0
Reuse(2^3) = 0
Reuse(2^4) = 0
Reuse(2^5) = 0
Reuse(2^6) = 0
Reuse(2^7) = 0
Reuse(2^8) = 0
Reuse(2^9) = 0
Reuse(2^10) = 0
Reuse(2^11) = 0
Reuse(2^12) = 0
Reuse(2^13) = 0
Reuse(2^14) = 0
Reuse(2^15) = 0
Reuse(2^16) = 0
Avg = 0

P(2^7):
Reuse(2^0) = 0
Reuse(2^1) = 0
Reuse(2^2) = 0
Reuse(2^3) = 0
Reuse(2^4) = 0
Reuse(2^5) = 0
Reuse(2^6) = 0
Reuse(2^7) = 0
Reuse(2^8) = 0
Reuse(2^9) = 0
Reuse(2^10) = 0
Reuse(2^11) = 0
Reuse(2^12) = 0
Reuse(2^13) = 0
Reuse(2^14) = 0
Reuse(2^15) = 0
Reuse(2^16) = 0
Avg = 0

P(2^8):
Reuse(2^0) = 0
Reuse(2^1) = 0
Reuse(2^2) = 0
Reuse(2^3) = 0
Reuse(2^4) = 0
Reuse(2^5) = 0
Reuse(2^6) = 0
Reuse(2^7) = 0
Reuse(2^8) = 0
Reuse(2^9) = 0
Reuse(2^10) = 0
Reuse(2^11) = 0
Reuse(2^12) = 0
Reuse(2^13) = 0
Reuse(2^14) = 0
Reuse(2^15) = 0
Reuse(2^16) = 0
Avg = 0
