# SPDX-License-Identifier: GPL-3.0-or-later
# Figure 5: throughput as predicted and as measured. gnuplot -e "data='table3.dat'"
set terminal svg size 560,360 dynamic enhanced background "#ffffff" font "sans-serif,11"
set xlabel "message (bytes)"
set ylabel "messages a second of CPU"
set key top right
set grid
set yrange [0:*]
set xrange [0:9000]
plot data using 1:7 with linespoints pt 7 ps 0.6 lc rgb "#202020" title "real", \
     data using 1:8 with points pt 2 ps 1 lc rgb "#c04030" title "predicted by displacement", \
     data using 1:10 with points pt 6 ps 1 lc rgb "#3060a0" title "predicted by getrusage"
