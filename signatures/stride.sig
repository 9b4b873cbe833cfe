Instructions Seen : 0
Instructions Simulated : 0
Simulation limit : 4294967285
Sample rate : 1
Line Length (bytes) : 512
Size of Word (bytes) : 4
Using access sizes : no

Bin: stride

TEMPORAL LOCALITY (Reuse Distance CDF):
HitRate(2^0) = 1
HitRate(2^1) = 1
HitRate(2^2) = 1
HitRate(2^3) = 1
HitRate(2^4) = 1
HitRate(2^5) = 1
HitRate(2^6) = 1
HitRate(2^7) = 1
HitRate(2^8) = 1
HitRate(2^9) = 1
HitRate(2^10) = 1
HitRate(2^11) = 1
HitRate(2^12) = 1
HitRate(2^13) = 1
HitRate(2^14) = 1
HitRate(2^15) = 1
HitRate(2^16) = 1

SPATIAL LOCALITY (Probability of Set Reuse):

P(2^2):
Reuse(2^0) = 1
Reuse(2^1) = 1
Reuse(2^2) = 1
Reuse(2^3) = 1
Reuse(2^4) = 1
Reuse(2^5) = 1
Reuse(2^6) = 1
Reuse(2^7) = 1
Reuse(2^8) = 1
Reuse(2^9) = 1
Reuse(2^10) = 1
Reuse(2^11) = 1
Reuse(2^12) = 1
Reuse(2^13) = 1
Reuse(2^14) = 1
Reuse(2^15) = 1
Reuse(2^16) = 1
Avg = 1

P(2^3):
Reuse(2^0) = 1
Reuse(2^1) = 1
Reuse(2^2) = 1
Reuse(2^3) = 1
Reuse(2^4) = 1
Reuse(2^5) = 1
Reuse(2^6) = 1
Reuse(2^7) = 1
Reuse(2^8) = 1
Reuse(2^9) = 1
Reuse(2^10) = 1
Reuse(2^11) = 1
Reuse(2^12) = 1
Reuse(2^13) = 1
Reuse(2^14) = 1
Reuse(2^15) = 1
Reuse(2^16) = 1
Avg = 1

P(2^4):
Reuse(2^0) = 1
Reuse(2^1) = 1
Reuse(2^2) = 1
Reuse(2^3) = 1
Reuse(2^4) = 1
Reuse(2^5) = 1
Reuse(2^6) = 1
Reuse(2^7) = 1
Reuse(2^8) = 1
Reuse(2^9) = 1
Reuse(2^10) = 1
Reuse(2^11) = 1
Reuse(2^12) = 1
Reuse(2^13) = 1
Reuse(2^14) = 1
Reuse(2^15) = 1
Reuse(2^16) = 1
Avg = 1

P(2^5):
Reuse(2^0) = 1
Reuse(2^1) = 1
Reuse(2^2) = 1
Reuse(2^3) = 1
Reuse(2^4) = 1
Reuse(2^5) = 1
Reuse(2^6) = 1
Reuse(2^7) = 1
Reuse(2^8) = 1
Reuse(2^9) = 1
Reuse(2^10) = 1
Reuse(2^11) = 1
Reuse(2^12) = 1
Reuse(2^13) = 1
Reuse(2^14) = 1
Reuse(2^15) = 1
Reuse(2^16) = 1
Avg = 1

P(2^6):
Reuse(2^0) = 1
Reuse(2^1) = 1
Reuse(2^2) = 1
Reuse(2^3) = 1
Reuse(2^4) = 1
Reuse(2^5) = 1
Reuse(2^6) = 1
Reuse(2^7) = 1
Reuse(2^8) = 1
Reuse(2^9) = 1
Reuse(2^10) = 1
Reuse(2^11) = 1
Reuse(2^12) = 1
Reuse(2^13) = 1
Reuse(2^14) = 1
Reuse(2^15) = 1
Reuse(2^16) = 1
Avg = 1

P(2^7):
Reuse(2^0) = 1
Reuse(2^1) = 1
Reuse(2^2) = 1
Reuse(2^3) = 1
Reuse(2^4) = 1
Reuse(2^5) = 1
Reuse(2^6) = 1
Reuse(2^7) = 1
Reuse(2^8) = 1
Reuse(2^9) = 1
Reuse(2^10) = 1
Reuse(2^11) = 1
Reuse(2^12) = 1
Reuse(2^13) = 1
Reuse(2^14) = 1
Reuse(2^15) = 1
Reuse(2^16) = 1
Avg = 1

P(2^8):
Reuse(2^0) = 1
Reuse(2^1) = 1
Reuse(2^2) = 1
Reuse(2^3) = 1
Reuse(2^4) = 1
Reuse(2^5) = 1
Reuse(2^6) = 1
Reuse(2^7) = 1
Reuse(2^8) = 1
Reuse(2^9) = 1
Reuse(2^10) = 1
Reuse(2^11) = 1
Reuse(2^12) = 1
Reuse(2^13) = 1
Reuse(2^14) = 1
Reuse(2^15) = 1
Reuse(2^16) = 1
Avg = 1
